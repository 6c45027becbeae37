import ArgumentParser
import Roost

/// The option of the commands that choose the number of clusters.
struct GranularityOption: ParsableArguments {
    @Option(
        name: .long,
        help: "coarse (fewer, larger clusters), medium, or fine (more, smaller clusters).")
    var granularity: LeidenClusterer.Granularity = .medium
}

/// The option of the commands that print clusters.
struct FlatOption: ParsableArguments {
    @Flag(
        name: .long,
        help: ArgumentHelp(
            "Print only the clusters at the lowest level, without the larger clusters that "
                + "contain them."))
    var flat = false
}
