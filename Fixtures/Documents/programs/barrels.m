#import <Foundation/Foundation.h>

#define MAXIMUM 1000

typedef NS_ENUM(NSInteger, Material) {
    MaterialOak,
    MaterialSteel,
};

typedef struct {
    double litres;
    int hours;
} Rain;

@class Barrel;

@protocol BarrelDelegate <NSObject>
- (void)barrel:(Barrel *)barrel didChange:(double)litres;
@optional
- (BOOL)barrelShouldOverflow:(Barrel *)barrel;
@end

/// A barrel for rain water.
@interface Barrel : NSObject <NSCopying>
@property (nonatomic, weak) id<BarrelDelegate> delegate;
@property (nonatomic, readonly) double litres;
- (instancetype)initWithCapacity:(double)capacity NS_DESIGNATED_INITIALIZER;
+ (instancetype)barrel;
@end

@interface Barrel ()
@property (nonatomic) double capacity;
@property (nonatomic) NSMutableArray *events;
@end

@implementation Barrel {
    double _content;
}

@synthesize litres = _content;

- (instancetype)initWithCapacity:(double)capacity
{
    self = [super init];
    if (self) {
        _capacity = capacity;
    }
    return self;
}

+ (instancetype)barrel {
    return [[self alloc] initWithCapacity:MAXIMUM];
}

- (void)fill:(double)amount
    fromRoof:(NSString *)roof
  completion:(void (^)(BOOL finished))completion
{
    [self.events enumerateObjectsUsingBlock:^(id event, NSUInteger index, BOOL *stop) {
        NSLog(@"{ %@", event);
    }];
    completion(YES);
}

- (id)copyWithZone:(NSZone *)zone {
    Barrel *copy = [[Barrel allocWithZone:zone] initWithCapacity:self.capacity];
    return copy;
}

@end

@implementation Barrel (Gauges)

- (NSString *)reading {
    // A brace: }
    return [NSString stringWithFormat:@"%f", self.litres];
}

@end

static double sum(NSArray<NSNumber *> *values)
{
    double total = 0;
    for (NSNumber *value in values) total += value.doubleValue;
    return total;
}

int main(int argc, char *argv[])
{
    @autoreleasepool {
        return 0;
    }
}
