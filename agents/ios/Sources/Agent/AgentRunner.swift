// The test that never ends: it is the agent.

import Foundation
import XCTest

final class AgentRunner: XCTestCase {
    /// What XCTest complained of since it was last asked. An action that fails is an answer, not a failed test.
    private var complaints: [String] = []

    override func setUp() {
        continueAfterFailure = true
    }

    override func record(_ issue: XCTIssue) {
        complaints.append(issue.compactDescription)
    }

    func testServe() throws {
        let environment = ProcessInfo.processInfo.environment
        let port = environment["STILLPOINT_AGENT_PORT"].flatMap { UInt16($0) } ?? 8080
        let token = environment["STILLPOINT_AGENT_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
        let udid = environment["STILLPOINT_DEVICE_UDID"] ?? environment["SIMULATOR_UDID"]
        let handler = CommandHandler(udid: udid) { [unowned self] in
            defer { complaints.removeAll() }
            return complaints
        }
        let listener = try AgentListener(port: port, token: token, handler: handler)
        let ended = expectation(description: "the listener ended")
        listener.start { ended.fulfill() }
        // Waiting turns the main run loop, on which the commands run.
        wait(for: [ended], timeout: .infinity)
    }
}
