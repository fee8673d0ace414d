package main

// Written by the release script.
const version = "0.10.0"
