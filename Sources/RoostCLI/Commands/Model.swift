import ArgumentParser

struct Model: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model", abstract: "List, install, create and use embedding models.",
        discussion: """
            With the suffix :int8 (minilm:int8), a model computes with 8-bit numbers: about three times \
            as fast, with slightly different vectors. The suffix selects a separate embedding space; a \
            store keeps the embedding space that it was created with.

            Examples:
              roost model list
              roost model pull BAAI/bge-small-en-v1.5
              roost model use bge-small-en-v1.5
            """,
        subcommands: [
            ListModels.self, AddModel.self, PullModel.self, UseModel.self, DistillModel.self,
            EmbedTexts.self, RemoveModel.self,
        ])
}
