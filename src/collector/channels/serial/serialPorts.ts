import { DeviceList } from '../deviceList.ts';
import { SerialPort } from './serialPort.ts';

/** Ports that programs open by their path. */
export class SerialPorts extends DeviceList<SerialPort> {
  readonly what = 'serial port';
  protected readonly channel = 'serial';
  protected readonly most = 8;
  readonly #programPath: string;

  /** `programPath`: of native/serial. */
  constructor(programPath: string) {
    super();
    this.#programPath = programPath;
  }

  protected async start(): Promise<SerialPort> {
    return await SerialPort.start(this.#programPath);
  }
}
