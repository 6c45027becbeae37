#import "Barrel.h"

@interface Barrel : NSObject
- (void)fill:(int)litres color:(NSString *)color;
@end

@implementation Barrel

// A comment {
- (void)fill:(int)litres color:(NSString *)color {
    if (litres > 0) {
        NSLog(@"} %d", litres);
    }
}

+ (instancetype)make {
    return [[Barrel alloc] init];
}

@end

static int helper(int x) {
    return x;
}
