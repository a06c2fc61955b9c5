"""What a release costs and how it is protected: noise, ledger and the one gate."""
