import { existsSync } from 'node:fs';
import { basename } from 'node:path';

const bridge = '/usr/share/java/java-atk-wrapper.jar';

/**
 * What `java` needs as its first arguments to publish its windows (Debian: libatk-wrapper-java). As variables of the
 * environment the machine would say on stderr that it found them.
 */
export function javaAccess(command: string): readonly string[] {
  if (basename(command) !== 'java' || !existsSync(bridge)) return [];
  return [
    '-Djavax.accessibility.assistive_technologies=org.GNOME.Accessibility.AtkWrapper',
    `-Xbootclasspath/a:${bridge}`,
  ];
}
