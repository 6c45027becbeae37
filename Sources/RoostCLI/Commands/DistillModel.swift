import ArgumentParser
import Foundation
import Roost

struct DistillModel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "distill", abstract: "Create a fast static model from a BERT model.",
        discussion: """
            A static model has one vector per token, independent of the context: several hundred times \
            as fast as the original model, but less accurate. Distillation needs no training texts and \
            takes about a minute at most.

            Examples:
              roost model distill minilm --out fast && roost model add fast
              roost model distill minilm --out small --dimension 128 --int8
            """)

    @Argument(
        help: ArgumentHelp("An installed model, or a model's folder.", valueName: "MODEL"))
    var model: String

    @Option(
        name: .long, help: ArgumentHelp("The folder of the new model; it must not exist.", valueName: "DIR"))
    var out: String

    @Option(name: .long, help: "The dimension of the vectors.")
    var dimension = 256

    @Flag(
        name: .long,
        help: ArgumentHelp(
            "Store each number of the vectors in 8 bits, which takes a quarter of the "
                + "space."))
    var int8 = false

    @Flag(name: .shortAndLong, help: "Print only errors.")
    var quiet = false

    func run() async throws {
        guard (1...4096).contains(dimension) else {
            throw CommandError(.usage, "--dimension must be a number from 1 to 4096, not \(dimension)")
        }
        let parent = try await EmbedderChoice.open(model)
        guard let parent = parent as? BERTEmbedder else {
            throw CommandError(
                .usage, "cannot distill \(Terminal.line(model, limit: 60)): it is not a BERT model")
        }
        let target = URL(fileURLWithPath: out)
        let progress = Progress(isQuiet: quiet, unit: "tokens")
        try await StaticEmbedder.distill(
            parent, into: target, dimension: dimension, precision: int8 ? .int8 : .float32
        ) { progress.update($0, fraction: Double($0) / Double($1)) }
        progress.finish()
        let made = try StaticEmbedder(folder: target)
        if !quiet {
            Terminal.write(
                "created \(target.path) with \(made.space.dimension) dimensions; "
                    + "install it with `roost model add \(target.path)`"
            )
        }
    }
}
