import RoostCLI

/// The program `roost`. Its commands are in `RoostCLI`, so that the tests, which link that module, do not get
/// the options with which `Package.swift` links this program.
@main
enum RoostProgram {
    static func main() async {
        await CommandLineTool.run()
    }
}
