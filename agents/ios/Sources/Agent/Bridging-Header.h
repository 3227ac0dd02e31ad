#import "ExceptionShield.h"
