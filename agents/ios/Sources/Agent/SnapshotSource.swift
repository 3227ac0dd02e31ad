// XCTest's snapshots as trees of elements.

import Foundation
import XCTest

struct SnapshotSource: ElementSource {
    let snapshot: any XCUIElementSnapshot

    var facts: ElementFacts {
        ElementFacts(
            identifier: snapshot.identifier, label: snapshot.label, value: snapshot.value as? String ?? "",
            type: ElementTypes.name(of: snapshot.elementType), frame: ElementFrame(snapshot.frame))
    }

    var childSources: [SnapshotSource] {
        snapshot.children.map(SnapshotSource.init)
    }
}

extension ElementFrame {
    init(_ rect: CGRect) {
        self.init(
            x: Double(rect.origin.x), y: Double(rect.origin.y), width: Double(rect.size.width),
            height: Double(rect.size.height))
    }
}
