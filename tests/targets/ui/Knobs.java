import java.awt.*;
import java.awt.event.MouseAdapter;
import java.awt.event.MouseEvent;
import java.awt.geom.Line2D;
import javax.swing.*;

/**
 * Three knobs and a slider, painted: nothing of them is published. Arguments: their values, 0 to 1. A knob follows the
 * pointer round its middle, the thumb of the slider along it; it prints what they are made to be.
 */
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
    int held = -1;

    Painted(double[] values) {
      this.values = values;
      setPreferredSize(new Dimension(480, 240));
      MouseAdapter mouse =
          new MouseAdapter() {
            @Override
            public void mousePressed(MouseEvent event) {
              held = -1;
              for (int knob = 0; knob < 3; knob++)
                if (event.getPoint().distance(70 + 110 * knob, 100) <= 32) held = knob;
              if (Math.abs(event.getX() - 60 - 300 * values[3]) <= 8
                  && Math.abs(event.getY() - 192) <= 13) held = 3;
            }

            @Override
            public void mouseDragged(MouseEvent event) {
              if (held >= 0) follow(event.getX(), event.getY());
            }
          };
      addMouseListener(mouse);
      addMouseMotionListener(mouse);
    }

    void follow(int x, int y) {
      double angle = Math.toDegrees(Math.atan2(100 - y, x - 70 - 110 * held));
      double turned = ((225 - angle) % 360 + 360) % 360;
      double value = held == 3 ? (x - 60) / 300.0 : turned > 315 ? 0 : turned / 270;
      values[held] = Math.min(1, Math.max(0, value));
      System.out.printf("value %d %.3f%n", held, values[held]);
      repaint();
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
