// The codec's checks without XCTest, for machines that have a Swift compiler and no Xcode.

import Foundation

let folder = URL(fileURLWithPath: CommandLine.arguments.dropFirst().first ?? "../../crates/wire/vectors")
var checks = VectorChecks()
try checks.run(
    clientToServer: try Data(contentsOf: folder.appendingPathComponent("client_to_server.json")),
    serverToClient: try Data(contentsOf: folder.appendingPathComponent("server_to_client.json")))
let problems = checks.problems + TreeChecks.problems()
problems.forEach { print("FAILED", $0) }
print("\(checks.checked) vectors, whole and byte by byte; \(problems.count) problems")
exit(problems.isEmpty && checks.checked > 100 ? 0 : 1)
