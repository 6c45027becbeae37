import ArgumentParser
import Foundation
import Roost

/// The options of the commands that read folders.
struct ReadingOptions: ParsableArguments {
    @Option(name: .long, help: "Read only files that match this pattern; repeatable.")
    var glob: [String] = []

    @Option(name: .long, help: "Skip files and folders that match this pattern; repeatable.")
    var exclude: [String] = []

    @Flag(
        name: .long,
        help: "Also follow symbolic links to folders, and to files outside the given folder.")
    var follow = false

    @Option(name: .long, help: "The column or key that contains the text of a row.")
    var textColumn: String?

    @Option(name: .long, help: "The column or key that identifies a row.")
    var idColumn: String?

    @Option(name: .long, help: "Add a tag to every entry; repeatable.", transform: TagArgument.tag)
    var tag: [String] = []

    @Flag(name: .long, help: "Store each file byte for byte, for `roost show --original`.")
    var keepOriginals = false

    var finder: FileFinder {
        var finder = FileFinder(globs: glob, exclusions: exclude)
        finder.followsLinks = follow
        return finder
    }

    func validate() throws {
        try TagArgument.check(tag)
        for (option, patterns) in [("--glob", glob), ("--exclude", exclude)] {
            guard let pattern = FileFinder.patternWithBraces(in: patterns) else { continue }
            throw ValidationError(
                "\(option) \(pattern): alternatives in braces are not supported; give \(option) once for each"
            )
        }
    }
}
