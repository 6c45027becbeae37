@_exported import RoostClustering
@_exported import RoostEncoders
@_exported import RoostIndexes
@_exported import RoostJSON
@_exported import RoostModel
@_exported import RoostSQLite
@_exported import RoostText
@_exported import RoostVectors
