"""Learning from data collaboration: classes, values, and models a party can read."""
