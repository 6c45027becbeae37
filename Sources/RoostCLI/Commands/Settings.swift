import ArgumentParser
import Foundation
import Roost

struct ConfigurationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Show or change your settings.",
        discussion: """
            Without KEY, prints all settings. Exits with 1 if the setting KEY has no value. Environment \
            variables take precedence: $ROOST_LABEL_ENDPOINT, $ROOST_LABEL_KEY (the key itself), \
            $ROOST_REMOTE_ENDPOINT, $ROOST_REMOTE_KEY, $AWS_ENDPOINT_URL_S3 and $AWS_REGION.

            Settings:
            \(UserConfiguration.keys.sorted { $0.key < $1.key }.map { "  \($0.key)\n      \($0.value)" }
                .joined(separator: "\n"))

            Examples:
              roost config
              roost config model minilm:int8
              roost config converter.org 'pandoc -f org -t gfm'
              roost config --unset label-model
            """)

    @Argument(help: "The name of a setting.")
    var key: String?

    @Argument(help: "The new value of the setting.")
    var value: String?

    @Option(name: .long, help: ArgumentHelp("Remove a setting.", valueName: "KEY"))
    var unset: String?

    @Flag(name: .long, help: "Print the result as JSON.")
    var json = false

    func run() throws {
        var configuration = try UserConfiguration(UserDirectories().configurationFile)
        if let unset { return try configuration.set(unset, nil) }
        guard let key else {
            if json { return try Terminal.json(configuration.values) }
            Terminal.write("# \(configuration.file.path)")
            for (key, value) in configuration.values.sorted(by: { $0.key < $1.key }) {
                Terminal.write("\(key) = \(value)")
            }
            return
        }
        if let value { return try configuration.set(key, value) }
        guard UserConfiguration.isKnown(key) else { return try UserConfiguration.check(key, "") }
        guard let value = configuration.values[key] else { throw ExitCode(ExitStatus.nothingFound.rawValue) }
        if json { try Terminal.json([key: value]) } else { Terminal.write(value) }
    }
}
