import ArgumentParser
import Foundation
import Roost

struct ConfigurationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Show or change your settings.",
        discussion: """
            Without KEY, prints all settings. Exits with 1 if the setting KEY has no value. As in other \
            programs, you can write list, get, set or unset before KEY. Environment variables take \
            precedence: $ROOST_LABEL_ENDPOINT, $ROOST_LABEL_KEY (the key itself), $ROOST_REMOTE_ENDPOINT, \
            $ROOST_REMOTE_KEY, $AWS_ENDPOINT_URL_S3 and $AWS_REGION.

            Settings:
            \(UserConfiguration.keys.sorted { $0.key < $1.key }.map { "  \($0.key)\n      \($0.value)" }
                .joined(separator: "\n"))

            Examples:
              roost config
              roost config model minilm:int8
              roost config --unset label-model
            """)

    @Argument(help: "The name of a setting.", completion: DynamicCompletion.settings)
    var key: String?

    @Argument(help: "The new value of the setting.", completion: DynamicCompletion.settingValues)
    var value: String?

    @Option(name: .long, help: ArgumentHelp("Remove a setting.", valueName: "KEY"))
    var unset: String?

    @Flag(name: .long, help: "Print the result as JSON.")
    var json = false

    /// Returns the arguments of `roost config` without the words get, set, unset and list, which other
    /// programs require.
    static func normalized(_ arguments: [String]) -> [String] {
        guard let verb = arguments.dropFirst().first, arguments.first == _commandName else {
            return arguments
        }
        let rest = arguments.dropFirst(2)
        switch (verb, rest.first?.hasPrefix("-")) {
        case ("get", false), ("set", false): return [_commandName] + rest
        case ("unset", false): return [_commandName, "--unset"] + rest
        case ("list", nil), ("list", true), ("--list", _), ("-l", _): return [_commandName] + rest
        default: return arguments
        }
    }

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
        guard !["get", "set", "unset"].contains(key) else {
            throw ValidationError("give the name of a setting, as in `roost config model minilm`")
        }
        guard UserConfiguration.keys[key] != nil else { return try UserConfiguration.check(key, "") }
        guard let value = configuration.values[key] else { throw ExitCode(ExitStatus.nothingFound.rawValue) }
        if json { try Terminal.json([key: value]) } else { Terminal.write(value) }
    }
}
