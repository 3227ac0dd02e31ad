// Element types by the names that travel.

import XCTest

enum ElementTypes {
    private static let table: [(String, XCUIElement.ElementType)] = [
        ("Any", .any), ("Other", .other), ("Application", .application), ("Group", .group), ("Window", .window),
        ("Sheet", .sheet), ("Alert", .alert), ("Dialog", .dialog), ("Button", .button),
        ("RadioButton", .radioButton), ("CheckBox", .checkBox), ("PopUpButton", .popUpButton),
        ("MenuButton", .menuButton), ("Keyboard", .keyboard), ("Key", .key), ("NavigationBar", .navigationBar),
        ("TabBar", .tabBar), ("TabGroup", .tabGroup), ("Tab", .tab), ("Toolbar", .toolbar),
        ("StatusBar", .statusBar), ("Table", .table), ("Cell", .cell), ("Slider", .slider),
        ("PageIndicator", .pageIndicator), ("ProgressIndicator", .progressIndicator),
        ("ActivityIndicator", .activityIndicator), ("SegmentedControl", .segmentedControl), ("Picker", .picker),
        ("PickerWheel", .pickerWheel), ("DatePicker", .datePicker), ("Switch", .switch), ("Toggle", .toggle),
        ("Link", .link), ("Image", .image), ("Icon", .icon), ("SearchField", .searchField),
        ("ScrollView", .scrollView), ("ScrollBar", .scrollBar), ("StaticText", .staticText),
        ("TextField", .textField), ("SecureTextField", .secureTextField), ("TextView", .textView),
        ("Menu", .menu), ("MenuItem", .menuItem), ("MenuBar", .menuBar), ("MenuBarItem", .menuBarItem),
        ("Map", .map), ("WebView", .webView), ("CollectionView", .collectionView), ("Stepper", .stepper),
    ]

    private static let byName = Dictionary(uniqueKeysWithValues: table)
    private static let byType = Dictionary(uniqueKeysWithValues: table.map { ($1.rawValue, $0) })

    static func named(_ name: String) -> XCUIElement.ElementType? {
        byName[name]
    }

    static func name(of type: XCUIElement.ElementType) -> String {
        byType[type.rawValue] ?? "Other"
    }
}
