#!/bin/bash
say() { printf '%s\n' "$*"; }
fill() {
    local x=${#1}
    cat <<EOF
function fake {
EOF
    echo "}"
}
function other {
  echo 1
  echo 2
}
