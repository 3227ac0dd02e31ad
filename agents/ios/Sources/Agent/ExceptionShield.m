#import "ExceptionShield.h"

@implementation ExceptionShield

+ (nullable NSString *)run:(NS_NOESCAPE void (^)(void))work {
    @try {
        work();
        return nil;
    } @catch (NSException *exception) {
        return [NSString stringWithFormat:@"%@: %@", exception.name, exception.reason ?: @"no reason given"];
    }
}

@end
