module.exports = {
  mode: 'development',
  target: 'node',
  devtool: 'source-map',
  entry: './main.ts',
  output: { path: `${__dirname}/out`, filename: 'packed.js' },
  resolve: { extensions: ['.ts', '.js'] },
  module: { rules: [{ test: /\.ts$/, loader: 'ts-loader', options: { transpileOnly: true } }] },
};
