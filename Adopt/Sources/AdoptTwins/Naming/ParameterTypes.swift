import AdoptAnalysis
import SwiftSyntax

/// The types of a function's parameters, as far as their text shows that functions with the same name are overloads.
package struct ParameterTypes: Sendable, Hashable {
  private static let knownTypes: Set<String> = [
    "Bool", "Calendar", "Character", "Data", "Date", "DateInterval", "Decimal", "Double", "Float",
    "IndexPath",
    "Int", "Int8", "Int16", "Int32", "Int64", "Locale", "String", "Substring", "TimeZone", "UInt", "UInt8",
    "UInt16", "UInt32", "UInt64", "URL", "URLComponents", "URLRequest", "UUID",
  ]

  /// Known types, and optionals and collections of them. The others are nil: they may be aliases of the same type.
  private let types: [String?]

  init(of function: FunctionDeclSyntax, without indices: Set<Int> = []) {
    types = function.signature.parameterClause.parameters.enumerated().compactMap { position, parameter in
      indices.contains(position) ? nil : .some(Self.text(of: parameter.type))
    }
  }

  /// Whether the functions are overloads for certain, so that one cannot stand for the other.
  func differ(from others: ParameterTypes) -> Bool {
    types.count == others.types.count
      && zip(types, others.types).contains { mine, other in
        guard let mine, let other else { return false }
        return mine != other
      }
  }

  private static func text(of type: TypeSyntax) -> String? {
    if let type = type.as(AttributedTypeSyntax.self) { return text(of: type.baseType) }
    if let type = type.as(OptionalTypeSyntax.self) { return text(of: type.wrappedType).map { "\($0)?" } }
    if let type = type.as(ArrayTypeSyntax.self) { return text(of: type.element).map { "[\($0)]" } }
    if let type = type.as(DictionaryTypeSyntax.self) {
      guard let key = text(of: type.key), let value = text(of: type.value) else { return nil }
      return "[\(key): \(value)]"
    }
    if let type = type.as(IdentifierTypeSyntax.self), type.genericArgumentClause == nil {
      return knownTypes.contains(type.name.text) ? type.name.text : nil
    }
    if let type = type.as(MemberTypeSyntax.self), type.genericArgumentClause == nil,
      ["Foundation", "Swift"].contains(type.baseType.trimmedDescription)
    {
      return knownTypes.contains(type.name.text) ? type.name.text : nil
    }
    return nil
  }
}

/// Functions that may be twins of others.
package struct KnownFunctions: Sendable {
  private var types: [AsyncFunction: Set<ParameterTypes>] = [:]

  package init() {}

  mutating func insert(_ function: AsyncFunction, _ parameters: ParameterTypes) {
    types[function, default: []].insert(parameters)
  }

  package mutating func formUnion(_ others: KnownFunctions) {
    types.merge(others.types) { $0.union($1) }
  }

  /// Whether one of the functions may have these parameters.
  func contains(_ function: AsyncFunction, _ parameters: ParameterTypes) -> Bool {
    types[function]?.contains { !$0.differ(from: parameters) } ?? false
  }
}
