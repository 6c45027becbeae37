import ArgumentParser

/// The option of the commands that print clusters.
struct FlatOption: ParsableArguments {
    @Flag(
        name: .long,
        help: ArgumentHelp(
            "Print only the clusters at the lowest level, without the larger clusters that "
                + "contain them."))
    var flat = false
}
