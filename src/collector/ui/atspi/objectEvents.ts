const JAVA = 'J2SE-access-bridge';

/**
 * What is heard of the objects of a program while somebody acts. Of Java what widgets write alone: its bridge 0.40 drops
 * an object that it does not hold, and says so on stderr, for a menu that closes while anyone listens to anything else.
 */
export function objectEvents(toolkits: Iterable<string>): readonly string[] {
  return [...toolkits].includes(JAVA)
    ? ['object:text-changed', 'object:property-change']
    : ['object:'];
}
