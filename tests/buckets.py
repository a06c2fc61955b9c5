"""Buckets of S3 on loopback, by moto's server in a thread of the test."""

from contextlib import contextmanager
from urllib.request import Request, urlopen

import pytest


@contextmanager
def run_buckets(monkeypatch):
    """Start a server, point the environment of AWS to it, and yield a client of it."""
    s3fs = pytest.importorskip("s3fs")
    server_module = pytest.importorskip("moto.server")
    boto3 = pytest.importorskip("boto3")
    server = server_module.ThreadedMotoServer(port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        address = f"http://{host}:{port}"
        # What servers of earlier tests were given lives in this process.
        urlopen(Request(f"{address}/moto-api/reset", method="POST")).close()
        for name, value in {
            "AWS_ENDPOINT_URL": address,
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_DEFAULT_REGION": "us-east-1",
        }.items():
            monkeypatch.setenv(name, value)
        client = boto3.client("s3", endpoint_url=address)
        client.create_bucket(Bucket="study")
        # fsspec keeps connections, of this process, to a server of an earlier test.
        s3fs.S3FileSystem.clear_instance_cache()
        yield client
    finally:
        server.stop()
