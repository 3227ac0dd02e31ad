#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

/// XCUIElement raises Objective-C exceptions (a stale element, an app that went away), which Swift cannot catch.
@interface ExceptionShield : NSObject

/// Runs the work. Returns nil when all went well, else the exception's name and reason.
+ (nullable NSString *)run:(NS_NOESCAPE void (^)(void))work;

@end

NS_ASSUME_NONNULL_END
