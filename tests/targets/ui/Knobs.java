import java.awt.*;
import java.awt.geom.Line2D;
import javax.swing.*;

/** Three knobs and a slider, painted: nothing of them is published. Arguments: their values, 0 to 1. */
public class Knobs {
  public static void main(String[] given) {
    double[] values = java.util.Arrays.stream(given).mapToDouble(Double::parseDouble).toArray();
    SwingUtilities.invokeLater(
        () -> {
          JFrame frame = new JFrame("Painted");
          frame.setContentPane(new Painted(values));
          frame.pack();
          frame.setVisible(true);
          System.out.println("shown");
        });
  }

  static class Painted extends JComponent {
    final double[] values;

    Painted(double[] values) {
      this.values = values;
      setPreferredSize(new Dimension(480, 240));
    }

    @Override
    protected void paintComponent(Graphics plain) {
      Graphics2D to = (Graphics2D) plain;
      to.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
      to.setColor(new Color(0xe8e8e0));
      to.fillRect(0, 0, getWidth(), getHeight());
      for (int knob = 0; knob < 3; knob++) {
        int x = 70 + 110 * knob;
        int y = 100;
        to.setColor(new Color(0xa0a8b0));
        to.fillOval(x - 32, y - 32, 64, 64);
        double angle = Math.toRadians(225 - 270 * values[knob]);
        to.setColor(Color.BLACK);
        to.setStroke(new BasicStroke(3));
        to.draw(
            new Line2D.Double(
                x + 12 * Math.cos(angle),
                y - 12 * Math.sin(angle),
                x + 28 * Math.cos(angle),
                y - 28 * Math.sin(angle)));
      }
      int left = 60 + (int) (300 * values[3]);
      to.setColor(new Color(0x606060));
      to.fillRect(60, 190, 300, 5);
      to.setColor(new Color(0x2050a0));
      to.fillRect(left - 8, 180, 16, 25);
    }
  }
}
