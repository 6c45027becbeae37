/// The entry point of the program `roost`.
package enum CommandLineTool {
    /// Runs the command that the arguments of the process name. If it fails, writes a message to standard
    /// error and ends the process with the exit status of the error.
    package static func run() async {
        await RoostCommand.main()
    }
}
