// The codec's own tests: no app and no device are needed.

import XCTest

final class CodecTests: XCTestCase {
    func testEveryVectorIsSatisfied() throws {
        func file(_ name: String) throws -> Data {
            let url = Bundle(for: Self.self).url(forResource: name, withExtension: "json")
            return try Data(contentsOf: XCTUnwrap(url, "\(name).json is not in the test bundle"))
        }
        var checks = VectorChecks()
        try checks.run(clientToServer: try file("client_to_server"), serverToClient: try file("server_to_client"))
        XCTAssertGreaterThan(checks.checked, 100)
        XCTAssertEqual(checks.problems, [])
    }

    func testTreesAreCappedAndPruned() {
        XCTAssertEqual(TreeChecks.problems(), [])
    }
}
