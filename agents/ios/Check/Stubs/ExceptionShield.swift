// Stands in for the Objective-C class of the same name. Nothing here runs.

public final class ExceptionShield {
    public static func run(_ work: () -> Void) -> String? { nil }
}
