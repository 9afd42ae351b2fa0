import AdoptAnalysis
import Foundation
import SwiftSyntax

/// The async functions of a package, and the functions with a handler that they may be alternatives of.
struct Twins {
  private var declarations: [AsyncFunction: [Declaration]] = [:]
  /// The number of functions with a handler in one file that would have the same alternative.
  private var candidates: [Key: Int] = [:]

  struct Declaration {
    let function: FunctionDeclSyntax
    /// The place of its name.
    let place: Place
  }

  private struct Key: Hashable {
    let function: AsyncFunction
    /// The types of the parameters.
    let parameters: [String]
    let path: String
  }

  mutating func add(_ finder: CandidateFinder, _ file: ParsedFile) {
    for (name, functions) in finder.asyncDeclarations {
      declarations[name, default: []] += functions.map {
        Declaration(function: $0, place: file.place(of: $0.name))
      }
    }
    for candidate in finder.candidates {
      for name in Self.names(for: candidate) {
        candidates[Self.key(of: candidate, name, file), default: 0] += 1
      }
    }
  }

  /// Returns the alternative of a function in a file, and its name.
  func twin(of candidate: Candidate, in file: ParsedFile) -> (name: FunctionName, declaration: Declaration)? {
    let parameters = ParameterTypes(of: candidate.function, without: [candidate.handler.index])
    for name in Self.names(for: candidate) {
      let key = Self.key(of: candidate, name, file)
      guard let named = declarations[key.function] else { continue }
      let sameTypes = named.filter { $0.function.parameterTypes() == key.parameters }
      let similar = named.filter { !ParameterTypes(of: $0.function).differ(from: parameters) }
      let possible = sameTypes.isEmpty && named.count == 1 ? similar : sameTypes
      // If several functions could have this alternative, its result decides.
      let isShared = candidates[key, default: 0] > 1
      let results = candidate.handler.resultTexts
      let exact =
        results.lazy.map { result in possible.filter { $0.function.resultText == result } }
        .first { !$0.isEmpty } ?? []
      if let twin = Self.nearest(to: file, exact.isEmpty && !isShared ? possible : exact) {
        return (name, twin)
      }
    }
    return nil
  }

  /// Returns the declaration in the file or in the nearest folder, because several targets may have types with the
  /// same name.
  private static func nearest(to file: ParsedFile, _ declarations: [Declaration]) -> Declaration? {
    declarations.max {
      file.path.commonPrefix(with: $0.place.path).count < file.path.commonPrefix(with: $1.place.path).count
    }
  }

  /// Returns whether another async function has the same name and parameters as an alternative, so that the compiler
  /// needs the type of the result to find it.
  func differOnlyInResult(_ declaration: Declaration, _ name: FunctionName, _ candidate: Candidate) -> Bool {
    let named = declarations[AsyncFunction(type: candidate.scope.type, name: name)] ?? []
    let twin = declaration.function
    let types = twin.parameterTypes()
    return named.contains {
      $0.place.path == declaration.place.path && $0.function.parameterTypes() == types
        && $0.function.resultText != twin.resultText
    }
  }

  private static func names(for candidate: Candidate) -> [FunctionName] {
    [TwinNaming.handwritten, .imported].map {
      $0.name(of: candidate.name, handlers: [candidate.handler.index])
    }
  }

  private static func key(of candidate: Candidate, _ name: FunctionName, _ file: ParsedFile) -> Key {
    Key(
      function: AsyncFunction(type: candidate.scope.type, name: name),
      parameters: candidate.function.parameterTypes(without: candidate.handler.index), path: file.path)
  }
}

extension FunctionDeclSyntax {
  /// The types of the parameters as they are written.
  func parameterTypes(without index: Int? = nil) -> [String] {
    signature.parameterClause.parameters.enumerated().compactMap { position, parameter in
      position == index ? nil : parameter.type.trimmedDescription
    }
  }

  /// The result as it is written.
  var resultText: String {
    returnsNothing ? "Void" : signature.returnClause?.type.trimmedDescription ?? "Void"
  }
}

extension Handler {
  /// The results that an alternative may return, as far as their text shows them, with the most likely one first.
  fileprivate var resultTexts: [String] {
    switch shape {
    case .nothing, .error: ["Void"]
    case .values(let values): [Self.text(values.map(\.type))]
    case .result(let success, _): [Self.text([success])]
    case .valuesAndError(let values, _):
      // A success may also have no value.
      [Self.text(values.map { $0.type.wrappedOptional ?? $0.type }), Self.text(values.map(\.type))]
    case .successFailure, nil: []
    }
  }

  private static func text(_ types: [TypeSyntax]) -> String {
    let texts = types.map { $0.isVoidType ? "Void" : $0.trimmedDescription }
    return texts.count == 1 ? texts[0] : "(\(texts.joined(separator: ", ")))"
  }
}
