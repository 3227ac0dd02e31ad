// A UI test bundle needs an app to be attached to. This one does nothing.

import SwiftUI

@main
struct AgentHostApp: App {
    var body: some Scene {
        WindowGroup { Text("Stillpoint agent") }
    }
}
