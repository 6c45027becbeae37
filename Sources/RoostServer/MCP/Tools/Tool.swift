/// A function that a model can call.
protocol Tool: Sendable {
    /// The name, the description and the schema of the arguments.
    var definition: ToolDefinition { get }

    /// Executes a call.
    ///
    /// - Returns: An object.
    func call(_ arguments: ToolArguments, _ context: CallContext) async throws -> JSONValue
}
