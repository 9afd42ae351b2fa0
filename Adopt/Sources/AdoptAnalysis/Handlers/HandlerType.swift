import SwiftSyntax

/// The components of a parameter's type.
struct HandlerType {
  var function: FunctionTypeSyntax?
  var alias: TypeAliasDeclSyntax?
  /// The name of a type that is not written as a function type.
  var name: String?
  var isOptional = false
  var attributes: [String] = []

  var isEscaping: Bool { isOptional || attributes.contains("escaping") }

  init(_ type: TypeSyntax, aliases: TypeAliases) {
    unwrap(type, aliases: aliases, depth: 0)
  }

  private mutating func unwrap(_ type: TypeSyntax, aliases: TypeAliases, depth: Int) {
    // Aliases may refer to each other in a cycle.
    guard depth < 16 else { return }
    if let type = type.as(FunctionTypeSyntax.self) {
      function = type
    } else if let type = type.as(AttributedTypeSyntax.self) {
      for attribute in type.attributes {
        if case .attribute(let attribute) = attribute {
          attributes.append(attribute.attributeName.trimmedDescription)
        }
      }
      unwrap(type.baseType, aliases: aliases, depth: depth + 1)
    } else if let type = type.as(OptionalTypeSyntax.self) {
      isOptional = true
      unwrap(type.wrappedType, aliases: aliases, depth: depth + 1)
    } else if let type = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      isOptional = true
      unwrap(type.wrappedType, aliases: aliases, depth: depth + 1)
    } else if type.is(IdentifierTypeSyntax.self), let wrapped = type.wrappedOptional {
      isOptional = true
      unwrap(wrapped, aliases: aliases, depth: depth + 1)
    } else if let type = type.as(TupleTypeSyntax.self), type.elements.count == 1,
      let only = type.elements.first
    {
      unwrap(only.type, aliases: aliases, depth: depth + 1)
    } else if let type = type.as(IdentifierTypeSyntax.self) {
      name = type.name.text
      if let alias = aliases[type.name.text] {
        self.alias = alias
        unwrap(alias.initializer.value, aliases: aliases, depth: depth + 1)
      }
    } else if let type = type.as(MemberTypeSyntax.self) {
      name = type.name.text
    }
  }
}

extension FunctionTypeSyntax {
  /// Whether it returns nothing.
  var returnsVoid: Bool {
    let type = returnClause.type
    if let tuple = type.as(TupleTypeSyntax.self) { return tuple.elements.isEmpty }
    if let name = type.as(IdentifierTypeSyntax.self) { return name.name.text == "Void" }
    if let member = type.as(MemberTypeSyntax.self) {
      return member.name.text == "Void" && member.baseType.trimmedDescription == "Swift"
    }
    return false
  }
}

extension HandlerShape {
  init(_ function: FunctionTypeSyntax) {
    let parameters = Array(function.parameters)
    if parameters.isEmpty || (parameters.count == 1 && parameters[0].type.isVoid) {
      self = .nothing
    } else if let last = parameters.last, last.type.isOptionalError {
      self =
        parameters.count == 1
        ? .error(last) : .valuesAndError(values: Array(parameters.dropLast()), error: last)
    } else if parameters.count == 1, let (success, failure) = parameters[0].type.result {
      self = .result(success: success, failure: failure)
    } else {
      self = .values(parameters)
    }
  }
}

extension TypeSyntax {
  var isVoid: Bool {
    if let tuple = self.as(TupleTypeSyntax.self) { return tuple.elements.isEmpty }
    return self.as(IdentifierTypeSyntax.self)?.name.text == "Void"
  }

  /// The wrapped type of the outermost optional, or nil if this is not an optional.
  package var wrappedOptional: TypeSyntax? {
    if let type = self.as(OptionalTypeSyntax.self) { return type.wrappedType }
    if let type = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) { return type.wrappedType }
    if let type = self.as(AttributedTypeSyntax.self) { return type.baseType.wrappedOptional }
    if let type = self.as(IdentifierTypeSyntax.self), type.name.text == "Optional",
      let arguments = type.genericArgumentClause?.arguments, arguments.count == 1,
      case .type(let wrapped)? = arguments.first?.argument
    {
      return wrapped
    }
    return nil
  }

  /// Whether this is the type of an error, or an existential of one.
  package var isErrorType: Bool {
    if let type = self.as(IdentifierTypeSyntax.self) { return HandlerName.isError(type.name.text) }
    if let type = self.as(MemberTypeSyntax.self) { return HandlerName.isError(type.name.text) }
    if let type = self.as(SomeOrAnyTypeSyntax.self) { return type.constraint.isErrorType }
    if let type = self.as(TupleTypeSyntax.self), type.elements.count == 1, let only = type.elements.first {
      return only.type.isErrorType
    }
    return false
  }

  package var isOptionalError: Bool { wrappedOptional?.isErrorType ?? false }

  /// The success and failure types of a `Result`.
  var result: (success: TypeSyntax, failure: TypeSyntax?)? {
    let arguments: GenericArgumentListSyntax?
    if let type = self.as(IdentifierTypeSyntax.self), type.name.text == "Result" {
      arguments = type.genericArgumentClause?.arguments
    } else if let type = self.as(MemberTypeSyntax.self), type.name.text == "Result" {
      arguments = type.genericArgumentClause?.arguments
    } else {
      return nil
    }
    guard let arguments, let first = arguments.first, case .type(let success) = first.argument else {
      return nil
    }
    guard arguments.count == 2, let last = arguments.last, case .type(let failure) = last.argument else {
      return (success, nil)
    }
    return (success, failure)
  }
}
