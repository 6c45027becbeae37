const std = @import("std");

pub const Barrel = struct {
    litres: u32,

    pub fn fill(self: *Barrel, amount: u32) void {
        self.litres += amount;
    }
};

pub fn main() !void {
    const text =
        \\ { line
    ;
    _ = text;
}
