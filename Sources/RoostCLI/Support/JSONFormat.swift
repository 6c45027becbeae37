import ArgumentParser

/// The formats of a command that writes JSON by default.
protocol JSONFormat: ExpressibleByArgument, RawRepresentable<String>, CaseIterable {
    static var json: Self { get }
    static var jsonl: Self { get }
    /// The text about the formats in the help.
    static var help: String { get }
}
