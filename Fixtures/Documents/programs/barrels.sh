#!/usr/bin/env bash
set -euo pipefail

MAXIMUM=1000

# Fills a barrel.
fill() {
    local amount=$1
    echo "${amount} {"
}

function drain {
    while [ "$1" -gt 0 ]; do
        shift
    done
}

function report() {
    cat <<TEXT
not_a_function() {
TEXT
}

describe () (
    cd /tmp
    pwd
)

usage()
{
    echo "usage: $0"
    exit 64
}

names=(
    oak
    steel
)

case "${1:-}" in
    fill)
        fill "$MAXIMUM"
        ;;
    *)
        usage
        ;;
esac
