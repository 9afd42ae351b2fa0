import AdoptCorpus

/// The recall and precision of `adopt check` on the cases of a folder, and each wrong answer.
struct CorpusReport {
  let text: String

  init(folder: String) throws {
    let score = try Corpus(folder: folder).score()
    func percent(_ share: Double) -> String { "\((share * 1000).rounded() / 10) %" }
    var lines = score.falseFindings.map { "wrong: \($0)" } + score.missed.map { "missed: \($0)" }
    lines.append(
      "recall \(percent(score.recall)) (\(score.found) of \(score.faulty) faulty cases), "
        + "precision \(percent(score.precision)) (\(score.falseFindings.count) of \(score.reported) findings wrong, "
        + "with \(score.correct) correct cases)")
    text = lines.joined(separator: "\n") + "\n"
  }
}
