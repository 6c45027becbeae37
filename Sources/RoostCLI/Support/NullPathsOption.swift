import ArgumentParser

/// The option that ends each path with a zero byte, which no path contains.
struct NullPathsOption: ParsableArguments {
    @Flag(
        name: [.customShort("0"), .customLong("null")],
        help: "End each path with a zero byte instead of a line break, for `xargs -0`; needs paths.")
    var isSet = false

    /// Checks that the output consists of paths.
    ///
    /// - Parameter advice: The options that select paths.
    func check(_ isPaths: Bool, _ advice: String) throws {
        guard isPaths || !isSet else { throw ValidationError("-0 needs \(advice)") }
    }
}
