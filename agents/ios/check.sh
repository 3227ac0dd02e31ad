#!/bin/sh
# Checks the agent with a Swift compiler and without Xcode: the codec is built and run against the shared vectors, the
# rest is type-checked against stubs of XCTest and Network. Usage: ./check.sh   (SWIFTC names the compiler)
set -eu
cd "$(dirname "$0")"
swiftc=${SWIFTC:-swiftc}
out=${OUT:-.build/check}
mkdir -p "$out"

$swiftc -swift-version 5 -O Sources/Codec/*.swift Tests/VectorChecks.swift Tests/TreeChecks.swift Check/main.swift \
    -module-name AgentCheck -o "$out/codec-check"
"$out/codec-check" ../../crates/wire/vectors

for module in XCTest Network; do
    $swiftc -swift-version 5 -parse-as-library -emit-module -module-name "$module" \
        -emit-module-path "$out/$module.swiftmodule" "Check/Stubs/$module.swift"
done
$swiftc -swift-version 5 -parse-as-library -typecheck -warnings-as-errors -I "$out" \
    Sources/Codec/*.swift Sources/Agent/*.swift Check/Stubs/ExceptionShield.swift
echo "type check against the stubs: no errors, no warnings"
