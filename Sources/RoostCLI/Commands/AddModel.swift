import ArgumentParser
import Foundation
import Roost

struct AddModel: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Install a model from a folder.",
        discussion: """
            The folder must have the layout of sentence-transformers (BERT and XLM-R models) or Model2Vec \
            (static models). Roost copies it.

            Examples:
              roost model add ~/Downloads/bge-small-en-v1.5
              roost model add e5 --query-prefix 'query: ' --document-prefix 'passage: '
            """)

    @Argument(help: ArgumentHelp("The model's folder.", valueName: "DIR"), completion: .directory)
    var directory: String

    @OptionGroup var prefixes: PrefixOptions

    func run() throws {
        let models = UserDirectories().models
        let name = try models.add(
            URL(fileURLWithPath: directory), queryPrefix: prefixes.queryPrefix,
            documentPrefix: prefixes.documentPrefix)
        Terminal.write(
            "installed \(name) in \(models.directory.path); use it with `roost init --model \(name)`")
    }
}
