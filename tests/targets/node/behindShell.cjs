'use strict';

function take(order) {
  return order.count;
}

take({ bread: 'rye', count: 3 });
