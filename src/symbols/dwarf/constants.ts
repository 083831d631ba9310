/** The numbers of DWARF 5 §7 that are used here. */

export const tag = {
  arrayType: 0x01, classType: 0x02, enumerationType: 0x04, formalParameter: 0x05, lexicalBlock: 0x0b, member: 0x0d,
  pointerType: 0x0f, referenceType: 0x10, compileUnit: 0x11, structureType: 0x13, subroutineType: 0x15, typedef: 0x16,
  unionType: 0x17, unspecifiedParameters: 0x18, inheritance: 0x1c, inlinedSubroutine: 0x1d, module: 0x1e,
  pointerToMember: 0x1f, subrange: 0x21, baseType: 0x24, constType: 0x26, enumerator: 0x28, subprogram: 0x2e,
  variantPart: 0x33, volatileType: 0x35, restrictType: 0x37, interfaceType: 0x38, namespace: 0x39, unspecifiedType: 0x3b,
  partialUnit: 0x3c, typeUnit: 0x41, rvalueReferenceType: 0x42, atomicType: 0x47, callSite: 0x48, skeletonUnit: 0x4a,
  gnuCallSite: 0x4109,
} as const;

export const form = {
  addr: 0x01, block2: 0x03, block4: 0x04, data2: 0x05, data4: 0x06, data8: 0x07, string: 0x08, block: 0x09, block1: 0x0a,
  data1: 0x0b, flag: 0x0c, sdata: 0x0d, strp: 0x0e, udata: 0x0f, refAddr: 0x10, ref1: 0x11, ref2: 0x12, ref4: 0x13,
  ref8: 0x14, refUdata: 0x15, indirect: 0x16, secOffset: 0x17, exprloc: 0x18, flagPresent: 0x19, strx: 0x1a, addrx: 0x1b,
  refSup4: 0x1c, strpSup: 0x1d, data16: 0x1e, lineStrp: 0x1f, refSig8: 0x20, implicitConst: 0x21, loclistx: 0x22,
  rnglistx: 0x23, refSup8: 0x24, strx1: 0x25, strx2: 0x26, strx3: 0x27, strx4: 0x28, addrx1: 0x29, addrx2: 0x2a,
  addrx3: 0x2b, addrx4: 0x2c, gnuAddrIndex: 0x1f01, gnuStrIndex: 0x1f02, gnuRefAlt: 0x1f20, gnuStrpAlt: 0x1f21,
} as const;

/** DW_AT numbers; see `slotOf` for those that are kept. */
export const attribute = {
  sibling: 0x01, name: 0x03, byteSize: 0x0b, bitSize: 0x0d, statements: 0x10, lowPc: 0x11, highPc: 0x12, language: 0x13,
  compilationFolder: 0x1b, constValue: 0x1c, upperBound: 0x2f, producer: 0x25, prototyped: 0x27, abstractOrigin: 0x31,
  artificial: 0x34, callingConvention: 0x36, count: 0x37, memberLocation: 0x38, declarationFile: 0x3a, declarationLine: 0x3b,
  isDeclaration: 0x3c, encoding: 0x3e, isExternal: 0x3f, specification: 0x47, type: 0x49, virtuality: 0x4c, entryPc: 0x52, ranges: 0x55,
  dataBitOffset: 0x6b, linkageName: 0x6e, stringOffsetsBase: 0x72, addressBase: 0x73, rangeListsBase: 0x74, splitName: 0x76,
  alignment: 0x88, isDeleted: 0x8a, isDefaulted: 0x8b, mipsLinkageName: 0x2007, gnuVector: 0x2107, gnuSplitName: 0x2130,
  gnuAddressBase: 0x2133,
} as const;

/** DW_ATE. */
export const encoding = {
  address: 1, boolean: 2, complexFloat: 3, float: 4, signed: 5, signedChar: 6, unsigned: 7, unsignedChar: 8, utf: 0x10,
} as const;

/** DW_LANG → the name people use. */
export const languageNames: ReadonlyMap<number, string> = new Map([
  [0x01, 'C'], [0x02, 'C'], [0x0c, 'C'], [0x1d, 'C'], [0x2c, 'C'], [0x3e, 'C'],
  [0x04, 'C++'], [0x1a, 'C++'], [0x21, 'C++'], [0x2b, 'C++'], [0x3a, 'C++'],
  [0x1c, 'Rust'], [0x16, 'Go'], [0x13, 'D'], [0x1e, 'Swift'], [0x27, 'Zig'], [0x28, 'Crystal'], [0x10, 'Objective-C'],
  [0x11, 'Objective-C++'], [0x07, 'Fortran'], [0x08, 'Fortran'], [0x0e, 'Fortran'], [0x22, 'Fortran'], [0x23, 'Fortran'],
  [0x09, 'Pascal'], [0x0d, 'Ada'], [0x1b, 'OCaml'], [0x18, 'Haskell'], [0x8001, 'Assembler'],
]);
