//! Barrels for rain water.
const std = @import("std");
const Allocator = std.mem.Allocator;

/// The maximum capacity.
pub const maximum: f64 = 1000;

pub const Error = error{
    Full,
    Empty,
};

pub const Event = union(enum) {
    rain: f64,
    watering: struct { bed: []const u8, amount: f64 },
    overflow,

    pub fn amount(self: Event) f64 {
        return switch (self) {
            .rain => |value| value,
            else => 0,
        };
    }
};

pub const Barrel = struct {
    capacity: f64,
    content: f64 = 0,

    const Self = @This();

    pub fn init(capacity: f64) Self {
        return .{
            .capacity = capacity,
        };
    }

    pub fn fill(
        self: *Self,
        amount: f64,
    ) Error!void {
        if (self.content + amount > self.capacity) return Error.Full;
        self.content += amount;
    }
};

pub fn List(comptime T: type) type {
    return struct {
        items: []T,

        pub fn first(self: @This()) ?T {
            return if (self.items.len > 0) self.items[0] else null;
        }
    };
}

const text =
    \\A text with a brace {
    \\and a second line
;

export fn exported(value: c_int) c_int {
    // A brace: }
    return value * 2;
}

pub inline fn sum(values: []const f64) f64 {
    var total: f64 = 0;
    for (values) |value| total += value;
    return total;
}

test "a full barrel" {
    var barrel = Barrel.init(1);
    try std.testing.expectError(Error.Full, barrel.fill(2));
}

comptime {
    _ = maximum;
    _ = text;
}
