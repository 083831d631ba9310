"""Jobs for printers."""
