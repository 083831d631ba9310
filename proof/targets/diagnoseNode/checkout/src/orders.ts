export interface Order {
  customer: string;
  article: string;
}

export function ordersFrom(text: string): Order[] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [customer = '', article = ''] = line.split(' wants ');
      return { customer, article };
    });
}
