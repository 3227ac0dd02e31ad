// The part of XCTest that the agent uses, by signature alone, so that a compiler without Xcode can check the types.
// Signatures follow Apple's documentation. Nothing here runs.

@_exported import Foundation

open class XCTestCase {
    public init() {}
    open var continueAfterFailure = true
    open func setUp() {}
    open func record(_ issue: XCTIssue) {}
    public func expectation(description: String) -> XCTestExpectation { fatalError() }
    public func wait(for expectations: [XCTestExpectation], timeout: TimeInterval) {}
}

public final class XCTestExpectation {
    public func fulfill() {}
}

public struct XCTIssue {
    public var compactDescription: String
}

public protocol XCUIElementAttributes {
    var identifier: String { get }
    var frame: CGRect { get }
    var value: Any? { get }
    var label: String { get }
    var elementType: XCUIElement.ElementType { get }
}

public protocol XCUIElementSnapshot: XCUIElementAttributes {
    var children: [any XCUIElementSnapshot] { get }
}

open class XCUIElement: XCUIElementAttributes {
    public enum ElementType: UInt {
        case any, other, application, group, window, sheet, drawer, alert, dialog, button, radioButton, radioGroup
        case checkBox, disclosureTriangle, popUpButton, comboBox, menuButton, toolbarButton, popover, keyboard, key
        case navigationBar, tabBar, tabGroup, toolbar, statusBar, table, tableRow, tableColumn, outline, outlineRow
        case browser, collectionView, slider, pageIndicator, progressIndicator, activityIndicator, segmentedControl
        case picker, pickerWheel, `switch`, toggle, link, image, icon, searchField, scrollView, scrollBar, staticText
        case textField, secureTextField, datePicker, textView, menu, menuItem, menuBar, menuBarItem, map, webView
        case incrementArrow, decrementArrow, timeline, ratingIndicator, valueIndicator, splitGroup, splitter
        case relevanceIndicator, colorWell, helpTag, matte, dockItem, ruler, rulerMarker, grid, levelIndicator, cell
        case layoutArea, layoutItem, handle, stepper, tab, touchBar, statusItem
    }

    public var identifier: String { fatalError() }
    public var frame: CGRect { fatalError() }
    public var value: Any? { fatalError() }
    public var label: String { fatalError() }
    public var elementType: ElementType { fatalError() }
    public var exists: Bool { fatalError() }
    public var isHittable: Bool { fatalError() }
    public func descendants(matching type: ElementType) -> XCUIElementQuery { fatalError() }
    public func tap() {}
    public func typeText(_ text: String) {}
    public func coordinate(withNormalizedOffset offset: CGVector) -> XCUICoordinate { fatalError() }
    public func snapshot() throws -> any XCUIElementSnapshot { fatalError() }
}

public final class XCUIElementQuery {
    public var firstMatch: XCUIElement { fatalError() }
    public func matching(_ predicate: NSPredicate) -> XCUIElementQuery { fatalError() }
}

public final class XCUICoordinate {
    public func withOffset(_ offset: CGVector) -> XCUICoordinate { fatalError() }
    public func tap() {}
    public func press(forDuration: TimeInterval) {}
    public func press(
        forDuration: TimeInterval, thenDragTo: XCUICoordinate, withVelocity: XCUIGestureVelocity,
        thenHoldForDuration: TimeInterval
    ) {}
}

public struct XCUIGestureVelocity {
    public init(_ pixelsPerSecond: CGFloat) {}
    public static let `default` = XCUIGestureVelocity(0)
}

public final class XCUIApplication: XCUIElement {
    public enum State: UInt {
        case unknown, notRunning, runningBackgroundSuspended, runningBackground, runningForeground
    }

    public init(bundleIdentifier: String) {}
    public var state: State { fatalError() }
}

public final class XCUIScreen {
    public static var main: XCUIScreen { fatalError() }
    public func screenshot() -> XCUIScreenshot { fatalError() }
}

public final class XCUIScreenshot {
    public var pngRepresentation: Data { fatalError() }
}

// CoreGraphics has these; Foundation elsewhere does not, and its NSPredicate has no format.
public struct CGVector {
    public init(dx: Double, dy: Double) {}
    public static let zero = CGVector(dx: 0, dy: 0)
}

extension NSPredicate {
    public convenience init(format: String, _ arguments: CVarArg...) { fatalError() }
    public convenience init(format: String, _ text: String) { fatalError() }
}
