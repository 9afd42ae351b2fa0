// Rows and runs for the tests.
import Testing

@testable import bench

extension Results.Run {
  static func sample(_ date: String, machine: String = "a machine") -> Results.Run {
    Results.Run(
      date: date, rounds: 5, seconds: 2,
      machine: [.init(name: "Processor", value: machine), .init(name: "Retriever", value: "abcdef")])
  }
}

extension Question {
  /// The row of `get64` with this name.
  static func get64(_ name: String) throws -> Question {
    let question = Measurement.get64(over: .http).questions.first { $0.name == "get64.\(name)" }
    return try #require(question)
  }
}

extension Row {
  /// A row with one reading of each client. Each reading has 10,000 requests.
  static func sample(_ question: Question, seconds ours: Double, _ peer: Double) throws -> Row {
    var readings: Readings = [question.ours: .success([try .sample(seconds: ours)])]
    if let contender = question.peer { readings[contender] = .success([try .sample(seconds: peer)]) }
    return Row(question, readings)
  }
}

extension Reading {
  static func sample(seconds: Double) throws -> Reading {
    let statement = #"{"requests":10000,"seconds":\#(seconds),"bytes":1,"peak_kib":20480}"#
    return Reading(statement: try Statement(statement), cpuSeconds: seconds / 2)
  }
}
