import ArgumentParser
import Foundation
import Roost

/// Options that select the model of a benchmark.
struct ModelOptions: ParsableArguments {
    @Option(help: "The folder of a model; by default the installed all-MiniLM-L6-v2.")
    var model: String?

    @Option(help: "The precision of the model: float32 or int8.")
    var precision = "float32"

    func open() throws -> any Embedder { try open(precision) }

    func open(_ precision: String) throws -> any Embedder {
        guard let precision = BERTEmbedder.Precision(rawValue: precision) else {
            throw ValidationError("--precision must be float32 or int8")
        }
        let folder = model.map { URL(fileURLWithPath: $0) } ?? Material.modelFolder
        return try LocalModel.open(folder, precision: precision)
    }
}
